import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, report } from './failure.mjs'
import { runStep } from './processes.mjs'

/**
 * Runs an installation or build under a lock. The kernel releases it when the process ends. Without the command
 * `flock` there is no lock.
 */
export async function exclusively(root, action) {
  const descriptor = openLock(root)
  // The lock belongs to the open file description, which this process shares with the helper, and outlives the helper.
  const stdio = ['ignore', 'ignore', 'ignore', descriptor]
  const { status } = spawnSync('flock', ['-x', '-n', '3'], { stdio })
  if (status === 1) {
    report('Another start is installing or building in this folder; waiting for it.')
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
