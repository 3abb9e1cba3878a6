"""The merged schema of several files, as by Spark's ``mergeSchema``: only decimals are widened."""

from __future__ import annotations

from pyspark.sql import types as T

from pyspark_cloudfiles.errors import InferenceFailed


class Merged:
    """A schema that grows with each file.

    Parameters
    ----------
    case_sensitive : bool
        False: names that differ only in case are one column, in the spelling that came first.
    hinted : frozenset of str
        Columns, in lower case, whose type somebody has said: of several types the first will do.
    """

    def __init__(self, case_sensitive: bool, hinted: frozenset[str] = frozenset()) -> None:
        self._case_sensitive, self._hinted = case_sensitive, hinted
        self._schema = T.StructType([])
        self._seen: list[T.StructType] = []

    def add(self, schema: T.StructType, path: str) -> None:
        """Add a file's schema.

        Raises
        ------
        InferenceFailed
            A column's type does not agree with the files before.
        """
        if schema in self._seen:
            return
        self._seen.append(schema)
        self._schema = self._structs(self._schema, schema, "", path)

    def schema(self) -> T.StructType:
        """Return what has been found; a column that had no type in any file is an INT, as to Spark."""
        return _without_nulls(self._schema)

    def _structs(self, one: T.StructType, other: T.StructType, prefix: str, path: str) -> T.StructType:
        fields = {self._key(field.name): field for field in one}
        for field in other:
            known = fields.setdefault(self._key(field.name), field)
            data_type = self._types(known.dataType, field.dataType, f"{prefix}{known.name}", path)
            fields[self._key(field.name)] = T.StructField(known.name, data_type)
        return T.StructType(list(fields.values()))

    def _types(self, one: T.DataType, other: T.DataType, name: str, path: str) -> T.DataType:
        match one, other:
            case _ if one == other or isinstance(other, T.NullType):
                return one
            case T.NullType(), _:
                return other
            case T.StructType(), T.StructType():
                return self._structs(one, other, f"{name}.", path)
            case T.ArrayType(), T.ArrayType():
                return T.ArrayType(self._types(one.elementType, other.elementType, f"{name}.element", path))
            case T.MapType(), T.MapType():
                key = self._types(one.keyType, other.keyType, f"{name}.key", path)
                return T.MapType(key, self._types(one.valueType, other.valueType, f"{name}.value", path))
            case T.DecimalType(), T.DecimalType() if one.scale == other.scale:
                return T.DecimalType(max(one.precision, other.precision), one.scale)
        if name.split(".")[0].lower() in self._hinted:
            return one
        raise InferenceFailed(
            f"Failed to infer the schema: column {name} is {_sql(other)} in {path}, and {_sql(one)} in another file. "
            f"Say which it is with the option cloudFiles.schemaHints, '{name} {_sql(one)}': what does not fit goes to "
            "the rescued data column."
        )

    def _key(self, name: str) -> str:
        return name if self._case_sensitive else name.lower()


def _sql(data_type: T.DataType) -> str:
    return data_type.simpleString().upper()


def _without_nulls(data_type: T.DataType) -> T.DataType:
    match data_type:
        case T.NullType():
            return T.IntegerType()
        case T.StructType():
            return T.StructType([T.StructField(field.name, _without_nulls(field.dataType)) for field in data_type])
        case T.ArrayType():
            return T.ArrayType(_without_nulls(data_type.elementType))
        case T.MapType():
            return T.MapType(_without_nulls(data_type.keyType), _without_nulls(data_type.valueType))
    return data_type
