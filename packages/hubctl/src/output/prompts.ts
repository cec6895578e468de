import { text as readAll } from 'node:stream/consumers'

import { Problem, UsageProblem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import { printable } from './printable.js'

/** Whether prompts can be shown. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY)
}

/** Prompts for a secret without echo, or reads it from standard input. */
export async function readSecret(what: string, { stdin }: { stdin: boolean }): Promise<string> {
  if (stdin) {
    const all = await readAll(process.stdin)
    const secret = all.replace(/\r?\n$/, '')
    if (secret === '') {
      throw new UsageProblem(`Standard input contains no ${what}.`)
    }
    return secret
  }
  requireTerminal(`the ${what}`, 'Pass it on standard input: --stdin')
  const { password, isCancel } = await import('@clack/prompts')
  const validate = (value = '') => (value === '' ? `The ${what} is required` : undefined)
  const answer = await password({ message: capitalize(what), output: process.stderr, validate })
  return isCancel(answer) ? failCancelled() : answer
}

export async function askForText(what: string, fallback?: string): Promise<string> {
  requireTerminal(`the ${what}`, 'Pass it as an option; see --help')
  const { text, isCancel } = await import('@clack/prompts')
  const answer = await text({
    message: capitalize(what),
    output: process.stderr,
    ...(fallback !== undefined && { placeholder: fallback, defaultValue: fallback }),
    validate: (value) => (value || fallback ? undefined : `The ${what} is required`),
  })
  return isCancel(answer) ? failCancelled() : answer
}

/** Asks for confirmation of an action that cannot be undone. */
export async function requireConfirmation(
  question: string,
  { yes, option = '--yes' }: { yes: boolean; option?: string }
): Promise<void> {
  if (yes) {
    return
  }
  requireTerminal(`confirmation: ${question}`, `Confirm with ${option}`)
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
