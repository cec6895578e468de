import { InvalidArgumentError } from 'commander'
import { compile } from 'json-p3'

export const FORMATS = ['table', 'wide', 'csv', 'json', 'yaml', 'name'] as const

const JSON_PATH = 'jsonpath='

/** How what was found is shown; `jsonpath` takes a part of what `json` shows. */
export interface Format {
  readonly name: (typeof FORMATS)[number] | 'jsonpath'
  readonly select?: (value: unknown) => unknown[]
}

/** The format that a text names. */
export function formatIn(text: string): Format {
  const name = FORMATS.find((format) => format === text)
  if (name) {
    return { name }
  }
  if (!text.startsWith(JSON_PATH)) {
    throw new InvalidArgumentError(
      `It takes ${FORMATS.join(', ')}, or ${JSON_PATH}<path>, for example ${JSON_PATH}'$[*].name'.`
    )
  }
  return { name: 'jsonpath', select: selection(text.slice(JSON_PATH.length)) }
}

function selection(path: string): (value: unknown) => unknown[] {
  try {
    const query = compile(fromRoot(path))
    return (value) => query.query(value as Parameters<typeof query.query>[0]).values()
  } catch (error) {
    throw new InvalidArgumentError(`"${path}" is no JSONPath: ${(error as Error).message}`)
  }
}

/** A path may leave out the root: `data[0].name`, `[0].name`. */
function fromRoot(path: string): string {
  if (path.startsWith('$')) {
    return path
  }
  return /^[.[]/.test(path) ? `$${path}` : `$.${path}`
}
