import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

import { HelpCommand, type Kernel } from '@adonisjs/core/ace'
import type { ApplicationService } from '@adonisjs/core/types'

import { DatabaseNotConfigured } from '#database/addresses'
import { drain } from '#kernel/drain'
import { StartFailure } from '#kernel/start_failure'
import { createIgnitor } from './application.js'
import { unusableDatabase } from './tables.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Signal = (typeof SIGNALS)[number]

/** Commands can be interrupted and run again, so they get less time than servers. */
const DRAIN_MS = 10_000
/** Time for a command to print its result after it has finished. */
const FLUSH_MS = 1_000
/** Ctrl-C may arrive twice, from the terminal and from the parent; only a later repetition forces the exit. */
const REPEATED_SIGNAL_MS = 1_000

/**
 * Runs an Ace command. A signal starts the drain, waits for `app.terminating` hooks, and then ends the process.
 * Errors that operators can fix are printed as a sentence, others with their stack.
 */
export class CommandLine {
  readonly #close: () => Promise<void>
  #app: ApplicationService | undefined
  #signal: Signal | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(close: () => Promise<void>) {
    this.#close = close
    SIGNALS.forEach((signal) => this.#endOn(signal))
  }

  async run(args: string[]): Promise<void> {
    this.#done = createIgnitor()
      .tap((app) => void (this.#app = app))
      .ace()
      .configure(async (app) => this.#adjust(await app.container.make('ace')))
      .handle(args)
      .catch((error: unknown) => {
        process.exitCode = 1
        return printStack(error)
      })
    await this.#done
    const ace = await this.#app!.container.make('ace')
    if (!ace.getMainCommand()?.staysAlive) {
      await this.#close()
      // Open connections to an unresponsive server must not keep the process alive.
      setTimeout(() => process.exit(), FLUSH_MS).unref()
    }
  }

  #endOn(signal: Signal): void {
    let firstAt: number | undefined
    process.on(signal, () => {
      if (firstAt !== undefined && performance.now() - firstAt > REPEATED_SIGNAL_MS) {
        process.exit(exitCodeOf(signal))
      }
      firstAt ??= performance.now()
      void this.#end(signal)
    })
  }

  async #end(signal: Signal): Promise<void> {
    if (this.#signal) {
      return
    }
    this.#signal = signal
    const exit = () => process.exit(process.exitCode ?? exitCodeOf(signal))
    setTimeout(exit, DRAIN_MS)
    drain.start()
    await this.#app?.terminate()
    await Promise.race([this.#done, delay(FLUSH_MS)])
    await this.#close()
    exit()
  }

  #adjust(ace: Kernel): void {
    const { errorHandler } = ace
    ace.errorHandler = {
      render: async (error, kernel) => {
        if (this.#signal) {
          kernel.exitCode = exitCodeOf(this.#signal)
          return kernel.ui.logger.warning(`ended by ${this.#signal} before it was done`)
        }
        const sentence = sentenceFor(error)
        return sentence ? kernel.ui.logger.error(sentence) : errorHandler.render(error, kernel)
      },
    }
    Object.assign(errorHandler, { prettyPrintError: printStack })
    explainWithoutArguments(ace)
    if (!process.stdout.isTTY) {
      withoutTerminal(ace)
    }
  }
}

/** Stands in for the arguments that a command needs, which Ace demands also of those who only ask for its help. */
function explainWithoutArguments(ace: Kernel): void {
  ace.on('help', async ({ commandName, args }, kernel, parsed) => {
    parsed.args = [commandName, ...args.map(({ name }) => name)]
    await new HelpCommand(kernel, parsed, kernel.ui, kernel.prompt).exec()
    return kernel.shortcircuit()
  })
}

/** The exit code that shells use for a signal. */
const exitCodeOf = (signal: Signal) => 128 + constants.signals[signal]

/** The message of an error that operators can fix; undefined for others. */
function sentenceFor(error: unknown): string | undefined {
  return error instanceof DatabaseNotConfigured || error instanceof StartFailure
    ? error.message
    : unusableDatabase(error)
}

async function printStack(error: unknown): Promise<void> {
  console.error(inspect(error, { colors: process.stderr.isTTY }))
}

/** Disables the spinner, which needs a terminal. */
function withoutTerminal({ ui }: Kernel): void {
  ui.switchMode('silent')
  const { logger } = ui
  const wait = logger.await.bind(logger)
  logger.await = (text, options) => wait(text, { ...options, ...{ silent: true } })
}
