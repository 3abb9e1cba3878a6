"""A broker of somebody else's that demands a password, and a certificate: one options file for Spark and for Python."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.errors import BrokerUnreachable, NotAvailable
from streaming_classroom.kafka import broker, client, servers
from streaming_classroom.kafka.topics import LessonKafka

PASSWORD = 's3c"ret'
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=SASL_PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{tls},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config={login}
listener.name.sasl_ssl.plain.sasl.jaas.config={login}
ssl.keystore.type=PKCS12
ssl.keystore.location=broker.p12
ssl.keystore.password=keystore
log.dirs=messages
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
OPTIONS = """\
# as Kafka's tools take it
security.protocol={protocol}
sasl.mechanism = PLAIN
sasl.jaas.config={module} \\
    username="learner" password="{password}";
ssl.truststore.type=PEM
ssl.truststore.location={certificate}
"""

needs_keytool = pytest.mark.skipif(shutil.which("keytool") is None, reason="Java's keytool is not here")


def escaped(text: str) -> str:
    """Return a password as it stands in the quotation marks of a properties file."""
    return text.replace('"', '\\\\"')


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start a broker that lets in whoever has the password; give its addresses and its certificate."""
    folder = tmp_path_factory.mktemp("guarded")
    plain, tls, controller = broker._free_ports(3)
    _make_certificate(folder)
    login = f'{LOGIN} username="admin" password="a" user_admin="a" user_learner="{escaped(PASSWORD)}";'
    text = PROPERTIES.format(plain=plain, tls=tls, controller=controller, login=login)
    (folder / broker.PROPERTIES).write_text(text)
    java = servers.ensure_fetched()
    with (folder / "log").open("wb") as output:
        assert broker.format_messages(java, folder, output)
        command = broker.command_line(java, "kafka.Kafka", broker.PROPERTIES)
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
    deadline = time.monotonic() + 60
    while not broker.is_answering(f"127.0.0.1:{plain}"):
        assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()
        time.sleep(0.1)
    yield {
        "SASL_PLAINTEXT": f"127.0.0.1:{plain}",
        "SASL_SSL": f"127.0.0.1:{tls}",
        "certificate": str(folder / "ca.pem"),
    }
    process.terminate()
    process.wait(20)


def _make_certificate(folder: Path) -> None:
    keystore = ["-alias", "b", "-keystore", "broker.p12", "-storetype", "PKCS12", "-storepass", "keystore"]
    names = ["-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1,dns:localhost"]
    key = ["keytool", "-genkeypair", "-keyalg", "RSA", "-validity", "10", *names, *keystore]
    subprocess.run(key, cwd=folder, check=True, capture_output=True)
    export = ["keytool", "-exportcert", "-rfc", "-file", "ca.pem", *keystore]
    subprocess.run(export, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def use(guarded: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Point the classroom at that broker."""

    def use(protocol: str, password: str = PASSWORD) -> LessonKafka:
        file = tmp_path / "client.properties"
        certificate = guarded["certificate"]
        text = OPTIONS.format(protocol=protocol, module=LOGIN, password=escaped(password), certificate=certificate)
        file.write_text(text)
        monkeypatch.setenv(client.VARIABLE, str(file))
        monkeypatch.setenv(servers.VARIABLE, guarded[protocol])
        return LessonKafka("guarded-", tmp_path / "mark")

    return use


@pytest.mark.slow
@needs_keytool
@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
def test_spark_and_python_get_in_with_one_options_file(spark: SparkSession, use, protocol: str) -> None:
    kafka = use(protocol)
    kafka.send("secrets", [{"value": "from Python"}])
    topic = kafka.topic("secrets")
    spark.sql("SELECT 'from Spark' AS value").write.format("kafka").options(**kafka.options, topic=topic).save()
    rows = spark.read.format("kafka").options(**kafka.options, subscribe=topic).load().collect()
    assert {bytes(row.value) for row in rows} == {b"from Python", b"from Spark"}
    kafka._clear()


@pytest.mark.slow
@needs_keytool
def test_a_wrong_password_is_a_sentence(use, monkeypatch, capfd) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 3.0)
    with pytest.raises(BrokerUnreachable, match=r"127\.0\.0\.1:\d+ \(.*[Aa]uthentication"):
        use("SASL_PLAINTEXT", password="wrong").create_topic("x")
    assert capfd.readouterr().err == ""


def test_what_only_java_reads_is_refused_in_a_sentence() -> None:
    with pytest.raises(NotAvailable, match=r"Export it as PEM, and set ssl\.truststore\.type=PEM"):
        client.for_python({"ssl.truststore.location": "/etc/ca.jks"})
