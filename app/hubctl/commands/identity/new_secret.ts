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
    .option('--to <file>', `a new file, mode 600, for a ${what} that is made up`)
    .option('--stdin', `read the ${what} from standard input`)
}

/**
 * Has something done with a new secret: one from standard input, or one that is made up and written to a file, beside whose it is. The
 * file is there before the secret is used, and goes where that fails.
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
      `Where does the ${what} come from?`,
      `--to <file> has one made up and written there; --stdin reads one.`
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
