import { InvalidArgumentError } from 'commander'
import { compile } from 'json-p3'

export const FORMATS = ['table', 'wide', 'csv', 'json', 'yaml', 'name'] as const

const JSON_PATH = 'jsonpath='

/** An output format; `jsonpath` selects a part of the `json` output. */
export interface Format {
  readonly name: (typeof FORMATS)[number] | 'jsonpath'
  readonly select?: (value: unknown) => unknown[]
}

/** Parses the value of `--output`. */
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
    throw new InvalidArgumentError(`"${path}" is not a valid JSONPath: ${(error as Error).message}`)
  }
}

/** Adds the root that a path may omit: `data[0].name`, `[0].name`. */
function fromRoot(path: string): string {
  if (path.startsWith('$')) {
    return path
  }
  return /^[.[]/.test(path) ? `$${path}` : `$.${path}`
}
