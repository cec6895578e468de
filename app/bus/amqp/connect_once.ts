import type { ChannelModel, SocketOptions } from 'amqplib'

import { urlsByHost } from '#configuration/urls_by_host'

/** A connection that does not reconnect, to the first host of the address that responds. */
export async function connectOnce(url: string, options: SocketOptions): Promise<ChannelModel> {
  const { connect } = await import('amqplib')
  const [first, ...others] = urlsByHost(url)
  let connection = connect(first!, options)
  for (const other of others) {
    connection = connection.catch(() => connect(other, options))
  }
  return connection
}
