import { type Command, InvalidArgumentError, Option } from 'commander'

import { FORMATS, formatIn, type Format } from '#hubctl/output/format'

const TABLE: Format = { name: 'table' }

/** What every command takes, before or behind its name. */
export function globalOptions(program: Command): Command {
  return program
    .addOption(new Option('--context <name>', 'the platform to talk to').env('HUBCTL_CONTEXT'))
    .addOption(new Option('--url <address>', 'its address, without a context').env('HUBCTL_URL'))
    .addOption(
      new Option('-o, --output <format>', `how to show it: ${FORMATS.join(', ')}, jsonpath=<path>`)
        .argParser(formatIn)
        .default(TABLE, TABLE.name)
    )
    .option(
      '--columns <names>',
      'the columns of a table, of csv; node.name is one within a record',
      commaList
    )
    .option('--sort-by <column>', 'sort what was found by this; -name from its end')
    .option('--no-headers', 'leave out the headings of a table, of csv')
    .option('-q, --quiet', 'say nothing beside what was asked for')
}

/** For a command that changes something. */
export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'show what would be sent, and send nothing')
}

/** For a command that writes attributes of a record. */
export function withAttributes(command: Command): Command {
  return withDryRun(
    command
      .argument(
        '[attributes...]',
        'key=value; key=@file reads the value from a file, @- from standard input'
      )
      .option('-f, --file <file>', 'a file of attributes in JSON or YAML; - is standard input')
  )
}

/** For a command whose answer may change. */
export function watchable(command: Command): Command {
  return command.option('-w, --watch [seconds]', 'show it again every two seconds, or so many')
}

/** For a command that cannot be taken back. */
export function withConfirmation(command: Command): Command {
  return withDryRun(command).option('-y, --yes', 'do not ask whether it is meant')
}

/** An option that may be said several times. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value]
}

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError('It takes a whole number from 1.')
  }
  return number
}

/** Names with commas between them. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}
