/** node:http alone: what it costs to send an answer that is ready, and one of sixty bytes. */
import { createServer } from 'node:http'

const answers = {
  '/answer': Buffer.from(process.env.BENCH_ANSWER),
  '/hello': Buffer.from(
    JSON.stringify({ version: '0', timestamp: Date.now(), pad: 'x'.repeat(12) })
  ),
}

const server = createServer((request, response) => {
  const body = answers[request.url]
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('ready'))
