import { once } from 'node:events'
import {
  createServer,
  request as send,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'

import { readBounded } from '#kernel/read_bounded'
import { MAX_ANSWER_BYTES } from '#node/analyses/analysis_process'
import { answerText } from '#node/gateway/answer'
import { passedHeaders } from './passed_headers.js'

/** Forwards requests of the node to its analysis, whose responses are not trusted: only complete ones are returned. */
export class AnalysisProxy {
  readonly #server: Server

  static async listen(socket: string, analysisPort: number): Promise<AnalysisProxy> {
    const server = createServer((request, response) => pass(request, response, analysisPort))
    server.listen(socket)
    await once(server, 'listening')
    return new AnalysisProxy(server)
  }

  private constructor(server: Server) {
    this.#server = server
  }

  close(): void {
    this.#server.close()
  }
}

function pass(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url: path, headers } = request
  const refuse = ({ message }: Error) => {
    if (!response.headersSent) {
      answerText(response, 502, message)
    }
  }
  const options = { host: '127.0.0.1', port, method, path, agent: false }
  const passed = send({ ...options, headers: passedHeaders(headers) }, (answer) =>
    passWhole(answer, response).catch(refuse)
  )
  passed.on('error', refuse)
  request.on('error', () => {})
  response.once('close', () => passed.destroy())
  request.pipe(passed)
}

async function passWhole(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const tooLarge = () => new Error(`The answer has more than ${MAX_ANSWER_BYTES} bytes`)
  const body = await readBounded(answer, MAX_ANSWER_BYTES, tooLarge)
  response.writeHead(answer.statusCode!, { 'content-length': body.length })
  response.end(body)
}
