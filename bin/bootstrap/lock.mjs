import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, say } from './failure.mjs'
import { runStep } from './processes.mjs'

/**
 * Installs and builds for one start at a time. The kernel holds the lock for this process and drops it with the
 * process, however that ends. Where the command `flock` is missing, starts are not kept apart.
 */
export async function exclusively(root, action) {
  const descriptor = openLock(root)
  // The lock belongs to the open file, which the helper shares with this process, and so outlives the helper.
  const stdio = ['ignore', 'ignore', 'ignore', descriptor]
  const { status } = spawnSync('flock', ['-x', '-n', '3'], { stdio })
  if (status === 1) {
    say('Another start is installing or building in this folder; waiting for it.')
    await runStep('flock', ['-x', '3'], { stdio }, 'The other start could not be waited for.')
  }
  try {
    await action()
  } finally {
    closeSync(descriptor)
  }
}

function openLock(root) {
  try {
    mkdirSync(join(root, 'build'), { recursive: true })
    return openSync(join(root, 'build/.lock'), 'a')
  } catch (error) {
    throw new Failure(
      `The hub must be installed or built, and ${root} cannot be written (${error.code}): start it once as a user who may.`
    )
  }
}
