import { text as readAll } from 'node:stream/consumers'

import { Problem, UsageProblem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import { printable } from './printable.js'

/** Whether there is somebody to ask. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY)
}

/** Asks for something that nobody else may see; or reads it from standard input. */
export async function readSecret(what: string, { stdin }: { stdin: boolean }): Promise<string> {
  if (stdin) {
    const all = await readAll(process.stdin)
    const secret = all.replace(/\r?\n$/, '')
    if (secret === '') {
      throw new UsageProblem(`Standard input has no ${what}.`)
    }
    return secret
  }
  requireTerminal(`the ${what}`, 'Give it on standard input: --stdin')
  const { password, isCancel } = await import('@clack/prompts')
  const validate = (value = '') => (value === '' ? `The ${what} is needed` : undefined)
  const answer = await password({ message: capitalize(what), output: process.stderr, validate })
  return isCancel(answer) ? failCancelled() : answer
}

export async function askForText(what: string, fallback?: string): Promise<string> {
  requireTerminal(`the ${what}`, `Say it as an option: --help names it`)
  const { text, isCancel } = await import('@clack/prompts')
  const answer = await text({
    message: capitalize(what),
    output: process.stderr,
    ...(fallback !== undefined && { placeholder: fallback, defaultValue: fallback }),
    validate: (value) => (value || fallback ? undefined : `The ${what} is needed`),
  })
  return isCancel(answer) ? failCancelled() : answer
}

/** Makes sure that something is meant which cannot be taken back. */
export async function requireConfirmation(
  question: string,
  { yes, option = '--yes' }: { yes: boolean; option?: string }
): Promise<void> {
  if (yes) {
    return
  }
  requireTerminal(`whether that is meant: ${question}`, `Say that it is: ${option}`)
  const { confirm } = await import('@clack/prompts')
  if (
    (await confirm({
      message: printable(question),
      initialValue: false,
      output: process.stderr,
    })) !== true
  ) {
    failCancelled()
  }
}

function requireTerminal(what: string, advice: string): void {
  if (!isInteractive()) {
    throw new UsageProblem(`There is no terminal to ask for ${what}.`, advice)
  }
}

function failCancelled(): never {
  throw new Problem(EXIT.interrupted, 'Nothing was done.')
}

function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
