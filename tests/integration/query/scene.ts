import type { Declaration } from '#query/declaration'
import { decode } from '#query/decode'
import { compileList, type ListRow, type ReadOptions } from '#query/sql/list_statement'
import { compileRecord, type RecordRow } from '#query/sql/record_statement'

import { storedDeclarations } from '#tests/unit/query/declarations'
import { Sandbox } from './sandbox.js'
import { specimen, specimenId, specimenRows } from '#tests/unit/query/specimens'

export type Row = Record<string, unknown>

export const AMOUNT = 120
export const { node, registry, registryProject } = storedDeclarations()

/** A client whose node owns the first registry project only. */
export const owner = specimenId(900)
export const registryId = specimenId(901)
export const projectId = specimenId(902)
const otherProjectId = specimenId(903)

export function textOf(query: string, options?: ReadOptions): string {
  return compileList(specimen, decode(specimen, query), options).text
}

/** A filled sandbox, read like an endpoint does. */
export class Scene {
  private constructor(readonly sandbox: Sandbox) {}

  static async open(): Promise<Scene> {
    const sandbox = await Sandbox.open([specimen, node, registry, registryProject])
    await sandbox.insert(specimen, specimenRows(AMOUNT))
    await sandbox.insert(registry, [
      { id: registryId, name: 'store', accountSecret: 'secret-store' },
    ])
    await sandbox.insert(registryProject, [
      { id: projectId, name: 'mine', registryId, accountSecret: 'secret-mine' },
      { id: otherProjectId, name: 'theirs', registryId, accountSecret: 'secret-theirs' },
    ])
    await sandbox.insert(node, [
      { id: specimenId(1), name: 'a', clientId: owner, registryId, registryProjectId: projectId },
      { id: specimenId(2), name: 'b', registryId, registryProjectId: otherProjectId },
    ])
    return new Scene(sandbox)
  }

  async list(
    query: string,
    options?: ReadOptions,
    declaration: Declaration = specimen
  ): Promise<{ rows: Row[]; total: number }> {
    const [row] = await this.sandbox.run<ListRow>(
      compileList(declaration, decode(declaration, query), options)
    )
    return { rows: JSON.parse(row!.data), total: row!.total }
  }

  async total(query: string, options?: ReadOptions): Promise<number> {
    const page = await this.list(query, options)
    return page.total
  }

  async read(
    id: string,
    query = '',
    options?: ReadOptions,
    declaration: Declaration = specimen
  ): Promise<Row | undefined> {
    const { selection } = decode(declaration, query, 'record')
    const statement = compileRecord(declaration, id, selection, options)
    const [row] = statement ? await this.sandbox.run<RecordRow>(statement) : []
    return row && JSON.parse(row.data)
  }
}
