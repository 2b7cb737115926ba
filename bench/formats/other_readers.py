#!/usr/bin/env python3
"""other_readers.py FORMAT SAMPLES FILE: times what Python has for a format; it makes no stacks of it.

protobuf (Debian's python3-protobuf) for pprof and OTLP, with the fields that are read here; xml.etree for Instruments. Prints lines of
row, side, size, work, seconds (../README.md).
"""
import sys
import time
import xml.etree.ElementTree

# Fields of each message: name, number, type (of descriptor.proto, or a message), repeated.
NUMBER, FIXED, TEXT = 4, 6, 12
PPROF = {
    "Root": (("sample_type", 1, "Pair", True), ("sample", 2, "Sample", True), ("location", 4, "Location", True),
             ("function", 5, "Function", True), ("string_table", 6, TEXT, True)),
    "Pair": (("type", 1, NUMBER, False), ("unit", 2, NUMBER, False)),
    "Sample": (("location_id", 1, NUMBER, True), ("value", 2, NUMBER, True)),
    "Location": (("id", 1, NUMBER, False), ("line", 4, "Pair", True)),
    "Function": (("id", 1, NUMBER, False), ("name", 2, NUMBER, False)),
}
OTLP = {
    "Root": (("resources", 1, "Resource", True), ("dictionary", 2, "Dictionary", False)),
    "Resource": (("scopes", 2, "Scope", True),),
    "Scope": (("profiles", 2, "Profile", True),),
    "Profile": (("sample_type", 1, "Pair", False), ("samples", 2, "Sample", True), ("period_type", 5, "Pair", False),
                ("period", 6, NUMBER, False)),
    "Pair": (("type", 1, NUMBER, False), ("unit", 2, NUMBER, False)),
    "Sample": (("stack", 1, NUMBER, False), ("attributes", 2, NUMBER, True), ("times", 5, FIXED, True)),
    "Dictionary": (("locations", 2, "Location", True), ("functions", 3, "Pair", True), ("texts", 5, TEXT, True),
                   ("stacks", 7, "Stack", True)),
    "Location": (("address", 2, NUMBER, False), ("lines", 3, "Pair", True)),
    "Stack": (("locations", 1, NUMBER, True),),
}


def message_class(messages):
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    proto = descriptor_pb2.FileDescriptorProto(name="bench.proto", package="bench", syntax="proto3")
    for name, fields in messages.items():
        message = proto.message_type.add(name=name)
        for field_name, number, kind, repeated in fields:
            field = message.field.add(name=field_name, number=number, label=3 if repeated else 1)
            if isinstance(kind, str):
                field.type = 11
                field.type_name = f".bench.{kind}"
            else:
                field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(proto)
    root = pool.FindMessageTypeByName("bench.Root")
    return message_factory.MessageFactory(pool).GetPrototype(root)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("pprof", "pprof_stacks", "otlp", "instruments"):
        sys.exit("usage: other_readers.py pprof|pprof_stacks|otlp|instruments SAMPLES FILE")
    name, samples, path = sys.argv[1:]
    with open(path, "rb") as file:
        text = file.read()
    if name == "instruments":
        side, read = "etree", xml.etree.ElementTree.fromstring
    else:
        side, read = "protobuf", message_class(OTLP if name == "otlp" else PPROF).FromString
    for run in range(4):
        start = time.process_time()
        read(text)
        if run > 0:
            print(f"format_{name}", side, samples, len(text), time.process_time() - start, sep="\t")


main()
