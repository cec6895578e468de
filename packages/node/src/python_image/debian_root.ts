import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { DebianRootFailed } from '#node/errors'

export interface DebianRootOptions {
  /** A release of Debian, such as `bookworm`. */
  readonly suite: string
  /** Debian packages beside Python, such as `python3-numpy`. */
  readonly packages: readonly string[]
  /** The source of the packages; by default the mirror of mmdebstrap. */
  readonly mirror: string | undefined
}

const run = promisify(execFile)
const SUITE = /^[a-z][a-z0-9-]*$/
const PACKAGE = /^[a-z0-9][a-z0-9+.-]+$/

/** Writes a Debian root with Python to a tar file. It needs a mirror of Debian and mmdebstrap. */
export async function makeDebianRoot(
  file: string,
  options: DebianRootOptions,
  signal: AbortSignal
): Promise<void> {
  const args = [...argumentsFor(options), file, ...mirrorOf(options)]
  try {
    // The fixed time of all files, so that the same packages give the same layer.
    const env = { ...process.env, SOURCE_DATE_EPOCH: '0' }
    await run('mmdebstrap', args, { signal, env, maxBuffer: 16 * 1024 ** 2 })
  } catch (error) {
    signal.throwIfAborted()
    throw DebianRootFailed.of(error)
  }
}

function argumentsFor({ suite, packages }: DebianRootOptions): string[] {
  const wrong = [suite].filter((name) => !SUITE.test(name))
  wrong.push(...packages.filter((name) => !PACKAGE.test(name)))
  if (wrong.length > 0) {
    throw new DebianRootFailed(`${wrong[0]} is not a valid name of a release or package of Debian`)
  }
  const included = ['python3', ...packages].join(',')
  // Devices are excluded, since a container has its own.
  return ['--quiet', '--variant=minbase', `--include=${included}`, '--skip=output/dev', suite]
}

function mirrorOf({ mirror }: DebianRootOptions): string[] {
  if (mirror === undefined) {
    return []
  }
  if (!/^(https?|file|copy):\/\//.test(mirror)) {
    throw new DebianRootFailed(`${mirror} is not the address of a mirror: begin with https://`)
  }
  return [mirror]
}
