import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { pathProblem } from '#storage/bucket_files/file_path'

const MAX_LENGTH = 8_192
const PAIR = /^([^\s,]+)(?: ([A-Za-z\d+/]*={0,2}))?$/

/** The path of the file: the `filename` of the metadata, which may contain folders. */
export function pathFromMetadata(metadata: string): string {
  const path = parseMetadata(metadata).get('filename')
  if (path === undefined) {
    throw invalidMetadata('must have a filename, which becomes the path of the file')
  }
  const problem = pathProblem(path)
  if (problem !== undefined) {
    throw invalidMetadata(`has a filename that ${problem}`)
  }
  return path
}

function parseMetadata(metadata: string): Map<string, string> {
  if (metadata.length > MAX_LENGTH) {
    throw invalidMetadata(`is longer than ${MAX_LENGTH} characters`)
  }
  const values = new Map<string, string>()
  for (const pair of metadata === '' ? [] : metadata.split(',')) {
    const [, key, value = ''] = PAIR.exec(pair.trim()) ?? []
    if (key === undefined || values.has(key)) {
      throw invalidMetadata('must be pairs of a key and a value in base64, each key once')
    }
    values.set(key, decodeValue(key, value))
  }
  return values
}

function decodeValue(key: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(value, 'base64')
    )
  } catch {
    if (key !== 'filename') {
      return ''
    }
    throw invalidMetadata('has a filename that is not valid Unicode')
  }
}

function invalidMetadata(problem: string): BadRequest {
  const message = `Upload-Metadata ${problem}`
  return new BadRequest(message, { issues: [issue('value_invalid', ['Upload-Metadata'], message)] })
}
