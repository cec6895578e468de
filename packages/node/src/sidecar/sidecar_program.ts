/*
 * Runs in the network namespace of a container, and otherwise outside of it. It is a separate process because a process
 * is in one network namespace, and so that the output of an analysis costs its node no time or memory.
 */
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { basename, dirname } from 'node:path'

import type { OutputStream } from '#node/containers/container_driver'
import { AnalysisProxy } from './analysis_proxy.js'
import { GatewayProxy } from './gateway_proxy.js'
import { PacedLines } from './paced_lines.js'
import { RefusalReports } from './refusal_reports.js'
import {
  OUTPUT_DESCRIPTORS,
  type BatchTaken,
  type SidecarMessage,
  type SidecarSettings,
} from './sidecar_messages.js'

/** The node has priority when processors are busy. */
const NICER = 5
const LEAST_PRIORITY = 19

const settings = JSON.parse(process.argv[2]!) as SidecarSettings
const batches = new Map<OutputStream, () => void>()

/** A failure means that the node has ended, which the disconnection reports. */
const send = (message: SidecarMessage): void => void process.send!(message, () => {})

function readOutput(stream: OutputStream): Promise<void> {
  const fd = OUTPUT_DESCRIPTORS[stream]
  const lines = new PacedLines((batch) => {
    send({ type: 'lines', stream, lines: batch })
    return new Promise<void>((resolve) => batches.set(stream, resolve))
  })
  return lines.readAll(new Socket({ fd, readable: true, writable: false }))
}

async function run(): Promise<void> {
  setPriority(Math.min(getPriority() + NICER, LEAST_PRIORITY))
  process.umask(0o077)
  const { gatewaySocket, gatewayPort, inboundSocket, analysisPort } = settings
  const refusals = new RefusalReports((sentence) => send({ type: 'refusal', sentence }))
  const gateway = await GatewayProxy.listen(gatewayPort, gatewaySocket, refusals)
  // The kernel shows the name of a socket to every process in its network, so it excludes the folders of the node.
  process.chdir(dirname(inboundSocket))
  const analysis = await AnalysisProxy.listen(basename(inboundSocket), analysisPort)
  process.on('message', ({ taken }: BatchTaken) => batches.get(taken)?.())
  process.once('disconnect', () => {
    gateway.close()
    // Removes the socket file.
    analysis.close()
    setImmediate(() => process.exit())
  })
  send({ type: 'ready', pid: process.pid, port: gateway.port })
  await Promise.all([readOutput('stdout'), readOutput('stderr')])
  send({ type: 'outputEnded' })
}

run().catch(({ message }: Error) => {
  process.send?.({ type: 'problem', message } satisfies SidecarMessage)
  process.disconnect()
})
