import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { findPython, pythonFiles } from '#node/python_image/python_files'
import { busyboxRoot } from './busybox_root.js'

/** The unpacked image with the Python of this machine, with a shell beside it. */
export async function pythonRoot(path: string): Promise<string> {
  for (const { path: file, mode = 0o644, open } of await pythonFiles(await findPython('python3'))) {
    const target = join(path, file)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, await open(), { mode })
  }
  return busyboxRoot(path)
}
