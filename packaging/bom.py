#!/usr/bin/env python3
"""Writes the bill of materials of the program as CycloneDX 1.6: every package that is linked into it.

usage: packaging/bom.py [TARGET] > dehusk.cdx.json

It reads what cargo says of the workspace, with all features, and the checksums of Cargo.lock. Python alone is enough. What
cargo-cyclonedx and cargo-sbom do more, such as other formats, is not needed here.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cargo_metadata(target):
    command = "cargo metadata --locked --format-version 1 --features full --filter-platform".split()
    return json.loads(subprocess.run([*command, target], cwd=ROOT, check=True, capture_output=True).stdout)


def linked(metadata):
    """The dependencies of each package that is linked into the program. What only builds or tests it is left out."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    macros = {
        package["id"] for package in metadata["packages"] if any("proc-macro" in t["kind"] for t in package["targets"])
    }
    root = next(package["id"] for package in metadata["packages"] if package["name"] == "dehusk")
    graph, waiting = {}, [root]
    while waiting:
        package = waiting.pop()
        if package in graph:
            continue
        is_linked = [d["pkg"] for d in nodes[package]["deps"] if any(kind["kind"] is None for kind in d["dep_kinds"])]
        graph[package] = sorted(set(is_linked) - macros)
        waiting += graph[package]
    return root, graph


def component(package, checksums):
    name, version = package["name"], package["version"]
    purl = f"pkg:cargo/{name}@{version}"
    result = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if package["license"]:
        # Older packages write a slash for OR.
        result["licenses"] = [{"expression": package["license"].replace("/", " OR ").replace("  ", " ")}]
    if checksum := checksums.get((name, version)):
        result["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return result


def main(target="x86_64-unknown-linux-gnu"):
    metadata = cargo_metadata(target)
    root, graph = linked(metadata)
    packages = {package["id"]: package for package in metadata["packages"]}
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(p["name"], p["version"]): p["checksum"] for p in lock["package"] if "checksum" in p}
    components = {id: component(packages[id], checksums) for id in graph}
    program = components.pop(root) | {"type": "application"}
    refs = {id: f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}" for id in graph}
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": program, "properties": [{"name": "target", "value": target}]},
        "components": sorted(components.values(), key=lambda c: c["bom-ref"]),
        "dependencies": [
            {"ref": refs[id], "dependsOn": sorted(refs[d] for d in graph[id])} for id in sorted(graph, key=refs.get)
        ],
    }
    json.dump(bom, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
