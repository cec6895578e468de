import type { Reader } from './catalogue.js'
import { listWhere } from './list_readers.js'
import { InvalidValueError } from './configuration_error.js'

/** An address or a folder with the placeholders `{owner}`, `{repository}` and `{branch}`. */
export function repositoryAddress(): Reader<string> {
  return {
    type: 'a URL that starts with http://, https:// or file://, or a folder, with {owner}, {repository} and {branch} in it where they matter',
    quotable: false,
    read(value) {
      const text = value.trim()
      const [, protocol] = /^([a-z][a-z\d+.-]*):/i.exec(text) ?? []
      if (protocol === undefined && !/^\.{0,2}\//.test(text)) {
        throw new InvalidValueError('is neither a URL nor a folder that starts with /, ./ or ../')
      }
      if (protocol !== undefined && !['http', 'https', 'file'].includes(protocol.toLowerCase())) {
        throw new InvalidValueError('has an unsupported protocol')
      }
      const url = protocol === undefined ? undefined : URL.parse(text)
      if (url === null || url?.username || url?.password) {
        throw new InvalidValueError('is not a URL, or contains credentials')
      }
      return text
    },
  }
}

const PATH = /^[a-z\d]+([._-]+[a-z\d]+)*(\/[a-z\d]+([._-]+[a-z\d]+)*)*$/
const REFERENCE = /^[\w][\w.:@/-]{0,510}$/

/** Images of other registries, each with its path in this platform. */
export function imageReferences(): Reader<readonly string[]> {
  return listWhere('images such as python/base=docker.io/library/python:3.12-slim', (entry) => {
    const equals = entry.indexOf('=')
    const isWhole =
      PATH.test(entry.slice(0, Math.max(equals, 0))) && REFERENCE.test(entry.slice(equals + 1))
    return isWhole ? entry : undefined
  })
}
