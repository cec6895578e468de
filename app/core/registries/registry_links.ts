import type pg from 'pg'

import { seal, unseal } from '#records/sealing'
import { clock } from '#kernel/clock'

/** How long a link stays with whoever took it and does not say that it is still at it: its process may be gone. */
const LEASE_MS = 30_000
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 60 * 60_000
/** How long a registry is left alone that does not answer, or not to us. */
const REST_MS = 30_000

/** A name in a registry. */
export interface Place {
  readonly registryId: string
  readonly externalName: string
}

export interface Link extends Place {
  /** Somebody asked for it not to be there, although the record stays. */
  readonly isParted: boolean
  /** Whether it was in the registry before the platform came; null while nobody has looked. */
  readonly isAdopted: boolean | null
  readonly accountId: string | null
  readonly newSecret: string | null
  readonly revision: number
}

const COLUMNS = `l.registry_id as "registryId", l.external_name as "externalName",
  l.is_parted as "isParted", l.is_adopted as "isAdopted", l.account_id as "accountId",
  l.new_secret as "newSecret", l.revision`

const AGAIN = `revision = l.revision + 1, attempts = 0, due_at = excluded.due_at`

/**
 * What the platform has in registries under which name, or may have: it is written here before a registry is asked for
 * anything, and stays until the registry has removed it. What is due is brought into line with the records.
 */
export class RegistryLinks {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** The link of a registry project is wanted, unless its registry is being left; undefined where there is no such project. */
  async want(
    transaction: pg.ClientBase,
    projectId: string,
    newSecret: string | null = null
  ): Promise<Place | undefined> {
    const { rows } = await transaction.query<Place>(
      `insert into registry_links as l (registry_id, external_name, is_parted, new_secret, due_at)
       select p.registry_id, p.external_name, coalesce(s.is_leaving, false), $2, $3
       from registry_projects p join registries r on r.id = p.registry_id
       left join registry_states s on s.registry_id = r.id where p.id = $1 for key share of r
       on conflict (registry_id, external_name) do update set is_parted = excluded.is_parted,
         new_secret = coalesce(excluded.new_secret, l.new_secret), ${AGAIN}
       returning ${COLUMNS}`,
      [projectId, newSecret && seal('chosen registry secret', newSecret), now()]
    )
    return rows[0]
  }

  /**
   * A link is wanted no more, unless another project has its name by now. What was never linked needs nothing, except that a
   * project which is still there is remembered as parted.
   */
  async part(
    transaction: pg.ClientBase,
    { registryId, externalName }: Place,
    { projectId = null, accountId = null }: { projectId?: string | null; accountId?: string | null }
  ): Promise<void> {
    await transaction.query(
      `insert into registry_links as l
         (registry_id, external_name, is_parted, is_adopted, account_id, due_at)
       select r.id, $2, p.id is not null, case when $4::text is not null then false end, $4, $5
       from registries r left join registry_projects p
         on p.registry_id = r.id and p.external_name = $2 and ($3::uuid is null or p.id = $3)
       where r.id = $1 and (p.id is not null or $4::text is not null or exists (
         select 1 from registry_links k where k.registry_id = $1 and k.external_name = $2))
       for key share of r
       on conflict (registry_id, external_name) do update set is_parted = excluded.is_parted,
         account_id = coalesce(l.account_id, excluded.account_id), ${AGAIN}`,
      [registryId, externalName, projectId, accountId, now()]
    )
  }

  /**
   * A registry is somewhere else now: ids of accounts mean others there, and nobody has looked what is there already. What
   * was left behind is not touched any more.
   */
  async moveAll(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query(
      'update registry_links set account_id = null, is_adopted = null where registry_id = $1',
      [registryId]
    )
  }

  /** Takes a link that is due, unless somebody else has it or its registry rests. */
  async take({ registryId, externalName }: Place): Promise<Link | undefined> {
    const { rows } = await this.#pool.query<Link>(
      `update registry_links l set attempts = l.attempts + 1, taken_until = $2
       where ${TAKABLE} and l.registry_id = $3 and l.external_name = $4 returning ${COLUMNS}`,
      [now(), now(LEASE_MS), registryId, externalName]
    )
    const [link] = rows
    return link && { ...link, newSecret: unseal('chosen registry secret', link.newSecret) }
  }

  /** Whoever took a link is still at it. */
  async prolong({ registryId, externalName }: Place): Promise<void> {
    await this.#pool.query(
      `update registry_links set taken_until = $3
       where registry_id = $1 and external_name = $2 and taken_until is not null`,
      [registryId, externalName, now(LEASE_MS)]
    )
  }

  /** Some of the links that can be taken, those first that wait longest. */
  async due(limit: number): Promise<Place[]> {
    const { rows } = await this.#pool.query<Place>(
      `select ${COLUMNS} from registry_links l where ${TAKABLE} order by l.due_at limit $2`,
      [now(), limit]
    )
    return rows
  }

  /** Remembers whether a project was in its registry, at this host, before the platform made one. */
  async noteAdoption(
    { registryId, externalName }: Place,
    { isAdopted, host }: { isAdopted: boolean; host: string }
  ): Promise<void> {
    await this.#pool.query(
      `update registry_links set is_adopted = $3
       where registry_id = $1 and external_name = $2 and ${isAt('$4')}`,
      [registryId, externalName, isAdopted, host]
    )
  }

  /** A link is as its record wants it; one that was asked for again meanwhile stays due. */
  async settle(
    transaction: pg.ClientBase,
    { registryId, externalName, revision }: Link,
    { accountId, host }: { accountId: string | null; host: string }
  ): Promise<void> {
    await transaction.query(
      `update registry_links set taken_until = null, attempts = 0, problem = null, settled_at = $5,
         account_id = case when ${isAt('$6')} then $4 else account_id end,
         due_at = case when revision = $3 then null else due_at end,
         new_secret = case when revision = $3 then null else new_secret end
       where registry_id = $1 and external_name = $2`,
      [registryId, externalName, revision, accountId, now(), host]
    )
  }

  /** Nothing is left of a link in its registry. It is remembered as parted where its project is still there. */
  async forget(transaction: pg.ClientBase, link: Link, host: string): Promise<void> {
    const { registryId, externalName, revision } = link
    const { rowCount } = await transaction.query(
      `delete from registry_links l where registry_id = $1 and external_name = $2 and revision = $3
         and not (is_parted and exists (select 1 from registry_projects p
           where p.registry_id = l.registry_id and p.external_name = l.external_name))`,
      [registryId, externalName, revision]
    )
    if (rowCount === 0) {
      await transaction.query(
        'update registry_links set is_adopted = null where registry_id = $1 and external_name = $2',
        [registryId, externalName]
      )
      await this.settle(transaction, link, { accountId: null, host })
    }
  }

  /** Puts a link back that could not be brought into line; its registry rests where the reason concerns all of it. */
  async putBack(
    { registryId, externalName }: Place,
    problem: string,
    concernsAll: boolean
  ): Promise<void> {
    await this.#pool.query(
      `with put_back as (
         update registry_links set taken_until = null, problem = $3,
           due_at = case when $4 then due_at else $5::timestamptz
             + least($6 * power(2, least(attempts - 1, 16)), $7) * interval '1 millisecond' end
         where registry_id = $1 and external_name = $2)
       insert into registry_states (registry_id, rests_until)
       select id, $8 from registries where id = $1 and $4 for key share
       on conflict (registry_id) do update set rests_until = excluded.rests_until`,
      [
        registryId,
        externalName,
        problem,
        concernsAll,
        now(),
        FIRST_PAUSE_MS,
        LONGEST_PAUSE_MS,
        now(REST_MS),
      ]
    )
  }
}

/** What is due, nobody has taken, and belongs to no registry that rests; `$1` is the time. */
const TAKABLE = `l.due_at <= $1 and (l.taken_until is null or l.taken_until <= $1)
  and not exists (select 1 from registry_states s
    where s.registry_id = l.registry_id and s.rests_until > $1)`

/** The registry has not moved elsewhere since it was called; `$1` is its id. */
const isAt = (host: string) =>
  `exists (select 1 from registries r where r.id = $1 and r.host = ${host})`

const now = (later = 0) => new Date(clock.now() + later)
