import type { Command } from 'commander'

import { EXIT, type ExitCode } from './exit_codes.js'
import { Kinds } from '#hubctl/kinds/kinds'
import { Output, type OutputOptions } from '#hubctl/output/output'
import { addressIn, Addresses } from '#hubctl/platform/addresses'
import { Api } from '#hubctl/platform/api'
import { TokenClient } from '#hubctl/platform/token_client'
import { fixedToken, type Credentials } from '#client/credentials'
import { StoredSession } from '#hubctl/platform/session'
import { Contexts, type Context } from '#hubctl/settings/contexts'
import { namingContext } from './problem.js'

export const DEFAULT_URL = 'http://localhost:3000'

/** Options of every command. */
export interface GlobalOptions extends OutputOptions {
  readonly context?: string
  readonly url?: string
  readonly dryRun?: boolean
}

/** One run of hubctl: its options, the platform it talks to, and its output. */
export class Invocation<Options extends object = object> {
  readonly contexts = new Contexts()
  readonly output: Output
  #api: Promise<Api> | undefined

  constructor(readonly options: GlobalOptions & Options) {
    this.output = new Output(options)
  }

  /** The API of the target platform, with the current login. */
  api(): Promise<Api> {
    return (this.#api ??= this.#connect())
  }

  async kinds(): Promise<Kinds> {
    return new Kinds(await this.api())
  }

  /** The target context. A token is only sent to the platform that issued it. */
  async target(): Promise<{ name: string | undefined; context: Context }> {
    const url = this.options.url === undefined ? undefined : addressIn(this.options.url)
    const found = await this.contexts.find(this.options.context)
    if (!found) {
      return { name: undefined, context: { url: url ?? DEFAULT_URL } }
    }
    return url === undefined || url === found.context.url
      ? found
      : { name: undefined, context: { url } }
  }

  async #connect(): Promise<Api> {
    const { name, context } = await this.target()
    const addresses = new Addresses(context.url, context.services)
    const planned = this.options.dryRun ? this.output : undefined
    return new Api(addresses, this.#session(name, context, addresses), planned)
  }

  #session(name: string | undefined, { tokens }: Context, addresses: Addresses): Credentials {
    const envToken = process.env.HUBCTL_TOKEN
    if (envToken) {
      return fixedToken(envToken)
    }
    return name !== undefined && tokens
      ? new StoredSession(this.contexts, name, tokens, new TokenClient(addresses.of('identity')))
      : fixedToken(undefined)
  }
}

/** Adapts a command to commander and sets the exit code it returns. */
export function perform<Options extends object, Operands extends unknown[]>(
  act: (invocation: Invocation<Options>, ...operands: Operands) => Promise<ExitCode | void>
): (...envToken: unknown[]) => Promise<void> {
  return async (...envToken) => {
    const command = envToken.at(-1) as Command
    const operands = envToken.slice(0, -2) as Operands
    const invocation = new Invocation<Options>(command.optsWithGlobals())
    const acted = namingContext(invocation.options.context, () => act(invocation, ...operands))
    process.exitCode = (await acted) ?? EXIT.done
  }
}
