/** The least a server can do: how busy the machine is shows in what that costs. */
import { createServer } from 'node:http'

createServer((_, response) => response.end('hello')).listen(
  Number(process.env.PORT),
  '127.0.0.1',
  () => process.send('ready')
)
