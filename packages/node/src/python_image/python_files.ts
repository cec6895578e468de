import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { inParallel } from '#kernel/in_parallel'
import type { LayerFile } from '#oci/tar/layer_entries'
import { singleChunk } from '#oci/single_chunk'

import { PythonMissing } from '#node/errors'

const run = promisify(execFile)

/** The Python of this machine. */
export interface Python {
  /** Such as `3.11`. */
  readonly version: string
  readonly executable: string
  readonly standardLibrary: string
}

/** The path of Python in the image, independent of this machine. */
export const PYTHON_HOME = 'usr/local'
/** The modules that analyses use to reach their node. */
export const MODULES = 'opt/hub-python'

const OWN_MODULES = fileURLToPath(new URL('../../python/', import.meta.url))
const QUESTION = `
import json, os, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": os.path.realpath(sys.executable),
    "standardLibrary": sysconfig.get_path("stdlib"),
}))
`
/** Parts of the standard library that no analysis needs. */
const LEFT_OUT =
  /(^|\/)(__pycache__|test|tests|idlelib|tkinter|turtledemo|lib2to3|ensurepip|site-packages|dist-packages|config-[^/]*)(\/|$)|\.a$/
const STATS_AT_ONCE = 16

/**
 * Libraries that packages with compiled code (manylinux) expect on every system. Python itself opens the first one when
 * a thread ends before its program.
 */
const EXPECTED =
  /^lib(gcc_s\.so\.1|stdc\+\+\.so\.6|(m|c)\.so\.6|(dl|resolv)\.so\.2|(rt|nsl|util|z|expat)\.so\.1|pthread\.so\.0)$/
const SYSTEM_PROGRAMS = '/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin'
const LINKED_FOR: Readonly<Record<string, string>> = { x64: 'x86-64', arm64: 'AArch64' }

export async function findPython(command: string): Promise<Python> {
  try {
    const { stdout } = await run(command, ['-I', '-c', QUESTION])
    return JSON.parse(stdout) as Python
  } catch (error) {
    throw new PythonMissing(command, error)
  }
}

/** Lists the files of an image with this Python: interpreter, standard library, shared libraries, and our modules. */
export async function pythonFiles({
  version,
  executable,
  standardLibrary,
}: Python): Promise<LayerFile[]> {
  const library = await filesBelow(standardLibrary)
  const expected = await expectedLibraries()
  const programs = [executable, ...library.filter(isSharedLibrary), ...expected]
  const libraries = new Set([...expected, ...(await sharedLibraries(programs))])
  const placed: (readonly [path: string, source: string])[] = [
    [`${PYTHON_HOME}/bin/python3`, executable],
    ...library.map(
      (path) =>
        [`${PYTHON_HOME}/lib/python${version}/${relative(standardLibrary, path)}`, path] as const
    ),
    ...[...libraries].map((path) => [path.slice(1), path] as const),
  ]
  return [...(await copiesOf(placed)), ...(await moduleFiles()), ...SYSTEM_FILES]
}

/** The modules that analyses use to reach their node. */
export async function moduleFiles(): Promise<LayerFile[]> {
  const modules = await filesBelow(OWN_MODULES, /\.py$/)
  return copiesOf(modules.map((path) => [`${MODULES}/${relative(OWN_MODULES, path)}`, path]))
}

function copiesOf(placed: readonly (readonly [path: string, source: string])[]) {
  return inParallel(placed, STATS_AT_ONCE, ([path, source]) => copyOf(path, source))
}

async function copyOf(path: string, source: string): Promise<LayerFile> {
  const { size, mode } = await stat(source)
  return {
    path,
    size,
    mode: mode & 0o111 ? 0o755 : 0o644,
    open: () => createReadStream(source),
  }
}

async function filesBelow(folder: string, wanted = /./): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => wanted.test(path) && !LEFT_OUT.test(relative(folder, path)))
  const stats = await inParallel(paths, STATS_AT_ONCE, (path) => stat(path).catch(() => undefined))
  return paths.filter((_path, index) => stats[index]?.isFile())
}

const isSharedLibrary = (path: string): boolean => /\.so(\.|$)/.test(path)

/** The paths of the libraries that programs load, including the loader. */
async function sharedLibraries(programs: readonly string[]): Promise<string[]> {
  const { stdout } = await run('ldd', [...programs], { maxBuffer: 16 * 1024 ** 2 })
  const paths = [...stdout.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path!)
  return [...new Set(paths)]
}

/** The expected libraries that this machine has. */
async function expectedLibraries(): Promise<string[]> {
  const { stdout } = await run('ldconfig', ['-p'], { env: { PATH: SYSTEM_PROGRAMS } })
  const machine = LINKED_FOR[process.arch] ?? process.arch
  const found = new Map<string, string>()
  for (const [, name, flags, path] of stdout.matchAll(/^\s+(\S+) \(([^)]*)\) => (\S+)$/gm)) {
    if (EXPECTED.test(name!) && flags!.includes(machine) && !found.has(name!)) {
      found.set(name!, path!)
    }
  }
  return [...found.values()]
}

const textFile = (path: string, text: string): LayerFile => ({
  path,
  size: Buffer.byteLength(text),
  open: () => singleChunk(Buffer.from(text)),
})

const SYSTEM_FILES = [
  textFile('etc/passwd', 'root:x:0:0:root:/:/\nnobody:x:65534:65534:nobody:/tmp:/\n'),
  textFile('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
  textFile('etc/hosts', '127.0.0.1 localhost\n'),
  textFile('etc/nsswitch.conf', 'hosts: files\n'),
  textFile('etc/resolv.conf', ''),
  textFile('etc/hostname', ''),
]
