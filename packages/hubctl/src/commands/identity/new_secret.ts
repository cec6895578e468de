import { randomBytes } from 'node:crypto'

import type { Command } from 'commander'

import type { Invocation } from '#hubctl/invocation'
import { withDryRun } from '#hubctl/options'
import { readSecret } from '#hubctl/output/prompts'
import { openSecretFile } from '#hubctl/output/secret_file'
import { UsageProblem } from '#hubctl/problem'

export interface SecretOptions {
  readonly stdin?: boolean
  readonly to?: string
}

const BYTES = 24

export function withSecretOptions(command: Command, what: string): Command {
  return withDryRun(command)
    .option('--to <file>', `a new file, mode 600, for a generated ${what}`)
    .option('--stdin', `read the ${what} from standard input`)
}

/**
 * Uses a new secret: from standard input, or a generated one that is written to a file with its owner.
 * The file is created before the secret is used, and removed if that fails.
 */
export async function withNewSecret<T>(
  { options }: Invocation<SecretOptions>,
  { what, whose: owner }: { what: string; whose: object },
  use: (secret: string) => Promise<T | undefined>
): Promise<T | undefined> {
  if (options.stdin) {
    return use(await readSecret(what, { stdin: true }))
  }
  if (options.to === undefined) {
    throw new UsageProblem(
      `No source of the ${what} was given.`,
      '--to <file> generates one and writes it there; --stdin reads one.'
    )
  }
  const file = await openSecretFile(options.to)
  const secret = randomBytes(BYTES).toString('base64url')
  try {
    const result = await use(secret)
    await (result === undefined ? file.discard() : file.write({ ...owner, [what]: secret }))
    return result
  } catch (error) {
    await file.discard()
    throw error
  }
}
