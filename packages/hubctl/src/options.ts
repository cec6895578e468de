import { type Command, InvalidArgumentError, Option } from 'commander'

import { FORMATS, formatIn, type Format } from '#hubctl/output/format'

const TABLE: Format = { name: 'table' }

/** Adds the options of every command, before or after its name. */
export function globalOptions(program: Command): Command {
  return program
    .addOption(new Option('--context <name>', 'the context to use').env('HUBCTL_CONTEXT'))
    .addOption(
      new Option('--url <address>', 'the address of the hub, without a context').env('HUBCTL_URL')
    )
    .addOption(
      new Option('-o, --output <format>', `the format: ${FORMATS.join(', ')}, jsonpath=<path>`)
        .argParser(formatIn)
        .default(TABLE, TABLE.name)
    )
    .option(
      '--columns <names>',
      'the columns of a table or CSV; node.name reads a nested record',
      commaList
    )
    .option('--sort-by <column>', 'sort by this column; -name is descending')
    .option('--no-headers', 'omit the headings of a table or CSV')
    .option('-q, --quiet', 'print only the result')
}

/** Adds `--dry-run` to a command that changes something. */
export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'show the requests without sending them')
}

/** Adds the arguments of a command that writes attributes of a record. */
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

/** Adds `--watch` to a command whose result may change. */
export function watchable(command: Command): Command {
  return command.option('-w, --watch [seconds]', 'repeat every two seconds, or at this interval')
}

/** Adds `--yes` to a command that cannot be undone. */
export function withConfirmation(command: Command): Command {
  return withDryRun(command).option('-y, --yes', 'do not ask for confirmation')
}

/** Collects the values of a repeatable option. */
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

/** Splits a comma-separated list. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}
