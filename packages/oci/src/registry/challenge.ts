/** How a registry wants clients to authenticate. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined }

const SCHEME = /^\s*(basic|bearer)\b/i
const PARAMETER = /([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/gi

/** Parses `WWW-Authenticate`. Returns undefined if no supported scheme is offered. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const scheme = SCHEME.exec(header ?? '')?.[1]?.toLowerCase()
  if (header === undefined || scheme === undefined) {
    return undefined
  }
  if (scheme === 'basic') {
    return { scheme }
  }
  const parameters = new Map(
    [...header.matchAll(PARAMETER)].map(([, name, quoted, plain]) => [
      name!.toLowerCase(),
      quoted ?? plain ?? '',
    ])
  )
  const realm = parameters.get('realm')
  return realm ? { scheme: 'bearer', realm, service: parameters.get('service') } : undefined
}
