import type { ContainerSpec } from './container_driver.js'

/** The only names that a container can resolve. */
export const hostsFile = ({ name, gatewayHost }: ContainerSpec): string =>
  ['127.0.0.1 localhost', `127.0.0.1 ${gatewayHost}`, `127.0.0.1 ${name}`, ''].join('\n')

/** There is no name server. Without this file, resolvers ask one on the loopback. */
export const RESOLVER_FILE = 'options attempts:1 timeout:1\n'
