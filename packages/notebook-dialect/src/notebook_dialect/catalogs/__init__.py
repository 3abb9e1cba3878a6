"""Unity Catalog's names on open-source Spark: catalogs, schemas, volumes and grants, in folders, without a server.

Tables are the business of the Java class ``FolderCatalog`` on Spark's class path (:mod:`.building` compiles it); this
package has the statements that Spark's parser lacks, the rule of volumes, and ``COPY INTO``.
"""
