import { tryParseJson } from '#kernel/try_parse_json'
import type { ImageConfig } from '#oci/image_config'
import { isObject } from '#oci/manifest'
import type { ListedArgument } from './listing.js'

/** Labels with the command of an image, so that it can be moved without its repository. */
const LABELS = {
  command: 'analysis-hub.command',
  commandArguments: 'analysis-hub.command-arguments',
}

export interface ImageCommand {
  readonly command: string
  readonly commandArguments: readonly ListedArgument[]
}

/**
 * The command of an image without an attribute file: from its labels, else its entrypoint. Arguments of the entrypoint
 * come before the code; the default command is ignored. Undefined if there is none.
 */
export function commandOf({ content }: Pick<ImageConfig, 'content'>): ImageCommand | undefined {
  const run = isObject(content.config) ? content.config : {}
  const labels = isObject(run.Labels) ? run.Labels : {}
  const input = labels[LABELS.command]
  if (typeof input === 'string' && input !== '') {
    return { command: input, commandArguments: argumentsIn(labels[LABELS.commandArguments]) }
  }
  const entrypoint = strings(run.Entrypoint)
  const [command, ...before] = entrypoint.length > 0 ? entrypoint : strings(run.Cmd).slice(0, 1)
  return command === undefined || command === ''
    ? undefined
    : { command, commandArguments: before.map((value) => ({ value, position: 'before' })) }
}

export function labelsOf(image: {
  readonly command?: string | null | undefined
  readonly commandArguments?: readonly object[] | null | undefined
}): Record<string, string> {
  const { command, commandArguments } = image
  return command
    ? {
        [LABELS.command]: command,
        [LABELS.commandArguments]: JSON.stringify(commandArguments ?? []),
      }
    : {}
}

function argumentsIn(label: unknown): ListedArgument[] {
  const value = typeof label === 'string' ? tryParseJson(label) : undefined
  return (Array.isArray(value) ? value : []).filter(isArgument)
}

function isArgument(value: unknown): value is ListedArgument {
  return (
    isObject(value) &&
    typeof value.value === 'string' &&
    (value.position === undefined || value.position === 'before' || value.position === 'after')
  )
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []
