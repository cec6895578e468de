import { isObject } from '#oci/manifest'
import { subjectName } from './identity.js'

export const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1'

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
const DIGEST = /^(?:(sha256):([\da-f]{64})|(gitCommit):([\da-f]{40}|[\da-f]{64}))$/

/** An input of a build. */
export interface Material {
  readonly name: string
  readonly uri?: string
  /** `sha256:…`, or `gitCommit:…` of a repository. */
  readonly digest: string
}

/** Facts about a build, from the builder. */
export interface BuildFacts {
  /** The ID of the analysis, `master/<virtualPath>`, or `hub`. */
  readonly name: string
  readonly kind: 'analysis' | 'masterImage' | 'hub'
  /** The build request: command, arguments, content digest. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The base image, and each file or the content as a whole. */
  readonly materials: readonly Material[]
  /** Also part of the signature, where policies can check it. */
  readonly signedAnnotations?: Readonly<Record<string, string>>
  readonly builder: { readonly id: string; readonly version: string }
  readonly run?: string
  readonly startedAt: Date
  readonly finishedAt: Date
}

export interface Statement {
  readonly _type: string
  readonly subject: readonly {
    readonly name: string
    readonly digest: Readonly<Record<string, string>>
  }[]
  readonly predicateType: string
  readonly predicate: {
    readonly buildDefinition: BuildDefinition
    readonly runDetails: RunDetails
  }
}

interface BuildDefinition {
  readonly buildType: string
  readonly externalParameters: Readonly<Record<string, unknown>>
  readonly resolvedDependencies: readonly {
    readonly name?: string
    readonly uri?: string
    readonly digest?: Readonly<Record<string, string>>
  }[]
}

interface RunDetails {
  readonly builder: { readonly id: string; readonly version?: Readonly<Record<string, string>> }
  readonly metadata?: {
    readonly invocationId?: string
    readonly startedOn?: string
    readonly finishedOn?: string
  }
}

/** Creates an in-toto statement with the SLSA provenance predicate. */
export function statementOf(digest: string, facts: BuildFacts): Statement {
  const { builder, run, startedAt, finishedAt } = facts
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: subjectName(facts.name), digest: digestMap(digest) }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: `urn:analysis-hub:build:${facts.kind}:1`,
        externalParameters: facts.parameters,
        resolvedDependencies: facts.materials.map(({ name, uri, digest: of }) => ({
          name,
          ...(uri !== undefined && { uri }),
          digest: digestMap(of),
        })),
      },
      runDetails: {
        builder: { id: builder.id, version: { 'analysis-hub': builder.version } },
        metadata: {
          ...(run !== undefined && { invocationId: run }),
          startedOn: startedAt.toISOString(),
          finishedOn: finishedAt.toISOString(),
        },
      },
    },
  }
}

/** The statement, if it is the provenance of this image. */
export function parseProvenance(statement: unknown, digest: string): Statement | undefined {
  return isProvenance(statement) && statement.subject.some((one) => isSubject(one, digest))
    ? statement
    : undefined
}

function isProvenance(value: unknown): value is Statement {
  if (!isObject(value) || value._type !== STATEMENT_TYPE || !Array.isArray(value.subject)) {
    return false
  }
  const { predicateType, predicate } = value
  const definition = isObject(predicate) ? predicate.buildDefinition : undefined
  const run = isObject(predicate) ? predicate.runDetails : undefined
  return (
    predicateType === PREDICATE_TYPE &&
    isObject(definition) &&
    typeof definition.buildType === 'string' &&
    Array.isArray(definition.resolvedDependencies) &&
    isObject(run) &&
    isObject(run.builder) &&
    typeof run.builder.id === 'string'
  )
}

function isSubject(subject: unknown, digest: string): boolean {
  const digests = isObject(subject) ? subject.digest : undefined
  return isObject(digests) && digests.sha256 === digestMap(digest).sha256
}

function digestMap(digest: string): Record<string, string> {
  const [, sha256, ofBytes, gitCommit, ofCommit] = DIGEST.exec(digest) ?? []
  const kind = sha256 ?? gitCommit
  if (kind === undefined) {
    throw new TypeError(`${digest} is neither a SHA-256 digest nor a commit`)
  }
  return { [kind]: (ofBytes ?? ofCommit)! }
}
