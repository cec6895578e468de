import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { ImageNotMade } from './image_not_made.js'

const run = promisify(execFile)

/** The commit that an image is made of. */
export interface Commit {
  readonly id: string
  readonly at: Date
  /** Whether files differ from it, so that others cannot make the same image. */
  readonly isModified: boolean
}

export async function currentCommit(root: string): Promise<Commit> {
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', ['-c', `safe.directory=${root}`, ...args], { cwd: root })
    return stdout.trim()
  }
  try {
    const head = await git('log', '-1', '--format=%H %ct')
    const [id, seconds] = head.split(' ')
    const changes = await git('status', '--porcelain', '--untracked-files=no')
    return { id: id!, at: new Date(Number(seconds) * 1000), isModified: changes !== '' }
  } catch (error) {
    throw ImageNotMade.becauseOf('git', error)
  }
}

/** The commit as labels state it. */
export const revisionOf = ({ id, isModified }: Commit): string =>
  isModified ? `${id}-modified` : id
