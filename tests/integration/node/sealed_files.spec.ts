import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import type { AssignedAnalysis, Participant } from '#node/analyses/assigned_analysis'
import { SealBroken } from '#node/errors'
import { Hub } from '#node/hub/hub'
import { KeyPair, publicKeyIn } from '#node/seal/key_pair'
import { AnalysisBuckets } from '#node/transfers/analysis_buckets'
import { SealedFiles } from '#node/transfers/sealed_files'
import { StandInHub } from '#tests/helpers/node/stand_in_hub'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const MIB = 1024 ** 2
const CHUNK_BYTES = MIB
const TEXT_BYTES = MIB - 28

type Cleanup = Parameters<typeof temporaryFolder>[0]
type Nodes = ReadonlyMap<string, { readonly participant: Participant; readonly keys: KeyPair }>

/** Three nodes of two analyses, with a hub in between. */
class Scene {
  readonly #folder: string
  readonly #nodes: Nodes
  readonly hub: StandInHub

  private constructor(folder: string, nodes: Nodes, hub: StandInHub) {
    this.#folder = folder
    this.#nodes = nodes
    this.hub = hub
  }

  static async set(cleanup: Cleanup): Promise<Scene> {
    const folder = await temporaryFolder(cleanup)
    const nodes = new Map<string, { participant: Participant; keys: KeyPair }>()
    for (const name of ['north', 'south', 'center']) {
      const keys = await KeyPair.open(join(folder, `${name}.key`))
      const publicKey = publicKeyIn(keys.publicKeyText)
      const participant = {
        nodeId: clock.uuid(),
        nodeType: 'default' as const,
        clientId: clock.uuid(),
        publicKey,
      }
      nodes.set(name, { participant, keys })
    }
    return new Scene(folder, nodes, await StandInHub.listen(cleanup))
  }

  idOf(name: string): string {
    return this.#nodes.get(name)!.participant.nodeId
  }

  /** The files of an analysis as a node has them; `former` are the nodes that its policy names. */
  at(name: string, analysisId: string, former: readonly string[] = []): SealedFiles {
    const { participant, keys } = this.#nodes.get(name)!
    const analysis: AssignedAnalysis = {
      id: analysisId,
      projectId: 'project',
      self: participant,
      participants: [...this.#nodes.values()].map((node) => node.participant),
    }
    const hub = new Hub({ url: this.hub.url }, { id: participant.clientId, secret: 'secret' })
    return new SealedFiles({
      analysis: () => analysis,
      buckets: new AnalysisBuckets(hub, analysisId),
      keys,
      sealsAsBefore: (nodeId) => former.some((one) => this.idOf(one) === nodeId),
      signal: new AbortController().signal,
    })
  }

  async send(
    files: SealedFiles,
    content: Buffer,
    from: string,
    to: string | undefined
  ): Promise<string> {
    const path = join(this.#folder, clock.uuid())
    await mkdir(this.#folder, { recursive: true })
    await writeFile(path, content)
    this.hub.uploader = this.#nodes.get(from)!.participant.clientId
    return files.upload(path, to === undefined ? undefined : this.idOf(to))
  }
}

const read = async (files: SealedFiles, id: string, sender?: string): Promise<Buffer> =>
  buffer(await files.download(id, sender))

test.group('Sealed files between nodes', (group) => {
  group.each.timeout(120_000)

  test('one of {size} bytes opens for its recipient, whether or not that names the sender')
    .with([0, 1, TEXT_BYTES, TEXT_BYTES + 1, 3 * MIB].map((size) => ({ size })))
    .run(async ({ assert, cleanup }, { size }) => {
      const scene = await Scene.set(cleanup)
      const content = randomBytes(size)
      const id = await scene.send(scene.at('north', 'X'), content, 'north', 'center')
      const center = scene.at('center', 'X')
      assert.isTrue((await read(center, id)).equals(content))
      assert.isTrue((await read(center, id, scene.idOf('north'))).equals(content))
      await assert.rejects(() => read(center, id, scene.idOf('south')), SealBroken)
      await assert.rejects(() => read(scene.at('south', 'X'), id), SealBroken)
    })

  test('one for all nodes opens for each of them', async ({ assert, cleanup }) => {
    const scene = await Scene.set(cleanup)
    const content = randomBytes(MIB + 5)
    const id = await scene.send(scene.at('north', 'X'), content, 'north', undefined)
    for (const name of ['north', 'south', 'center']) {
      assert.isTrue((await read(scene.at(name, 'X'), id)).equals(content))
    }
  })

  test('a file in the bucket of another analysis cannot be decrypted there', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set(cleanup)
    for (const recipient of ['center', undefined]) {
      const text = Buffer.from('rows of X')
      const id = await scene.send(scene.at('north', 'X'), text, 'north', recipient)
      scene.hub.files.get(id)!.bucketId = 'Y'
      for (const sender of [undefined, scene.idOf('north')]) {
        await assert.rejects(() => read(scene.at('center', 'Y'), id, sender), SealBroken)
      }
    }
  })

  test('a file that is returned to its sender cannot be decrypted as one of its recipient', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set(cleanup)
    const text = Buffer.from('own rows')
    const id = await scene.send(scene.at('north', 'X'), text, 'north', 'center')
    const north = scene.at('north', 'X')
    await assert.rejects(() => read(north, id, scene.idOf('center')), SealBroken)
    const { bytes } = scene.hub.files.get(id)!
    const renamed = bytes
      .toString('latin1')
      .replace(`"from":"${scene.idOf('north')}"`, `"from":"${scene.idOf('center')}"`)
      .replace(`"${scene.idOf('center')}":"`, `"${scene.idOf('north')}":"`)
    scene.hub.files.get(id)!.bytes = Buffer.from(renamed, 'latin1')
    await assert.rejects(() => read(north, id), SealBroken)
  })

  const changes: readonly (readonly [string, (chunks: Buffer[]) => Buffer[]])[] = [
    ['is emptied', () => []],
    ['loses its last chunk', (chunks) => chunks.slice(0, -1)],
    ['loses its first chunk', (chunks) => chunks.slice(1)],
    ['has two chunks in another order', ([one, two, ...rest]) => [two!, one!, ...rest]],
    ['has a chunk twice', ([one, ...rest]) => [one!, one!, ...rest]],
    ['is cut within a chunk', ([one, two]) => [one!, two!.subarray(0, 5_000)]],
    ['goes on behind its end', (chunks) => [...chunks, chunks.at(-1)!]],
    ['has another byte', ([one, ...rest]) => [flipped(one!), ...rest]],
  ]
  for (const [what, change] of changes) {
    test(`a file that ${what} on its way cannot be decrypted`, async ({ assert, cleanup }) => {
      const scene = await Scene.set(cleanup)
      const content = randomBytes(3 * TEXT_BYTES + 100)
      const id = await scene.send(scene.at('north', 'X'), content, 'north', 'center')
      const file = scene.hub.files.get(id)!
      const start = file.bytes.indexOf('\n', file.bytes.indexOf('\n') + 1) + 1
      const chunks = Array.from({ length: 4 }, (_, index) =>
        file.bytes.subarray(start + index * CHUNK_BYTES, start + (index + 1) * CHUNK_BYTES)
      )
      file.bytes = Buffer.concat([file.bytes.subarray(0, start), ...change(chunks)])
      await assert.rejects(() => read(scene.at('center', 'X'), id), SealBroken)
    })
  }

  for (const [what, text] of [
    ['without a header', 'plain text'],
    ['without an end of its header', `hub-seal/2\n${'x'.repeat(2 * MIB)}`],
    ['whose header is damaged', 'hub-seal/2\n{"id":1}\n'],
    ['whose keys are no texts', 'hub-seal/2\n{"id":"1","from":"2","keys":{"3":{}}}\n'],
    ['that ends in its header', 'hub-se'],
    ['that is empty', ''],
  ] as const) {
    test(`one ${what} is refused`, async ({ assert, cleanup }) => {
      const scene = await Scene.set(cleanup)
      const id = await scene.send(scene.at('north', 'X'), Buffer.from('a'), 'north', 'center')
      scene.hub.files.get(id)!.bytes = Buffer.from(text)
      await assert.rejects(() => read(scene.at('center', 'X'), id), SealBroken)
    })
  }

  test('the former form is read from nodes that the policy names only, and written for them', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set(cleanup)
    const content = randomBytes(MIB + 5)
    const former = scene.at('north', 'X', ['center'])
    const id = await scene.send(former, content, 'north', 'center')
    assert.lengthOf(scene.hub.files.get(id)!.bytes, content.length + 2 * 28)

    const strict = scene.at('center', 'X')
    for (const sender of [undefined, scene.idOf('north')]) {
      await assert.rejects(() => read(strict, id, sender), SealBroken, /seal: former/)
      const opened = await read(scene.at('center', 'X', ['north']), id, sender)
      assert.isTrue(opened.equals(content))
    }
    const others = scene.at('center', 'X', ['south'])
    await assert.rejects(() => read(others, id, scene.idOf('north')), SealBroken, /seal: former/)
  })
})

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed[100]! ^= 1
  return changed
}
