import { ImageNameInvalid } from '#oci/errors'

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** The API URL of a registry host. Plain HTTP is used on loopback only, where registries rarely have a certificate. */
export function baseOf(host: string): URL {
  const url = HOST.test(host) ? URL.parse(`https://${host}/`) : null
  if (!url) {
    throw new ImageNameInvalid(`${JSON.stringify(host.slice(0, 200))} is not a registry host`)
  }
  const scheme = LOOPBACK.test(url.hostname) ? 'http' : 'https'
  return new URL(`${scheme}://${host}/v2/`)
}
