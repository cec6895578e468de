import { execFile } from 'node:child_process'
import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs of a package of PyPI with all it needs, installed where the next run of the tests finds it again. */
export async function pythonPackage(name: string, version: string): Promise<string> {
  const folder = join(tmpdir(), `hub-${name}-${version}`)
  const complete = join(folder, 'complete')
  try {
    await access(complete)
  } catch {
    await rm(folder, { recursive: true, force: true })
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`])
    await writeFile(complete, '')
  }
  return join(folder, 'bin')
}
