import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { madeOnce } from './made_once.js'

const run = promisify(execFile)

/** The Python for which Debian packages libraries. */
export const PYTHON = '/usr/bin/python3'

interface PythonPackage {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

/** A package of PyPI without those that it requires: one archive, from which Python imports where `PYTHONPATH` names it. */
export async function pythonPackage({ name, version, sha256 }: PythonPackage): Promise<string> {
  const folder = await madeOnce(`${name}@${version}`, async (at) => {
    const wanted = join(at, 'wanted.txt')
    await writeFile(wanted, `${name}==${version} --hash=sha256:${sha256}\n`)
    const options = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--dest', at]
    await run(PYTHON, ['-m', 'pip', 'download', '--quiet', ...options, '--requirement', wanted])
  })
  const archive = (await readdir(folder)).find((file) => file.endsWith('.whl'))
  return join(folder, archive!)
}
