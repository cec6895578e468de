import { text as readAll } from 'node:stream/consumers'

import { Problem, UsageProblem } from '#hubctl/problem'
import { EXIT } from '#hubctl/exit_codes'
import { shown } from './shown.js'

/** Whether there is somebody to ask. */
export function isAnswered(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY)
}

/** Asks for something that nobody else may see; or reads it from standard input. */
export async function secretFor(what: string, { stdin }: { stdin: boolean }): Promise<string> {
  if (stdin) {
    const all = await readAll(process.stdin)
    const given = all.replace(/\r?\n$/, '')
    if (given === '') {
      throw new UsageProblem(`Standard input has no ${what}.`)
    }
    return given
  }
  requireSomebody(`the ${what}`, 'Give it on standard input: --stdin')
  const { password, isCancel } = await import('@clack/prompts')
  const validate = (value = '') => (value === '' ? `The ${what} is needed` : undefined)
  const answer = await password({ message: capital(what), output: process.stderr, validate })
  return isCancel(answer) ? cancelled() : answer
}

export async function textFor(what: string, otherwise?: string): Promise<string> {
  requireSomebody(`the ${what}`, `Say it as an option: --help names it`)
  const { text, isCancel } = await import('@clack/prompts')
  const answer = await text({
    message: capital(what),
    output: process.stderr,
    ...(otherwise !== undefined && { placeholder: otherwise, defaultValue: otherwise }),
    validate: (value) => (value || otherwise ? undefined : `The ${what} is needed`),
  })
  return isCancel(answer) ? cancelled() : answer
}

/** Makes sure that something is meant which cannot be taken back. */
export async function confirmed(
  question: string,
  { yes, option = '--yes' }: { yes: boolean; option?: string }
): Promise<void> {
  if (yes) {
    return
  }
  requireSomebody(`whether that is meant: ${question}`, `Say that it is: ${option}`)
  const { confirm } = await import('@clack/prompts')
  if (
    (await confirm({ message: shown(question), initialValue: false, output: process.stderr })) !==
    true
  ) {
    cancelled()
  }
}

function requireSomebody(what: string, advice: string): void {
  if (!isAnswered()) {
    throw new UsageProblem(`There is no terminal to ask for ${what}.`, advice)
  }
}

function cancelled(): never {
  throw new Problem(EXIT.interrupted, 'Nothing was done.')
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
