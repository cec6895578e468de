/** A folder of files, or a FHIR server. */
export type DataSource = FolderSource | FhirSource

export interface FolderSource {
  readonly name: string
  readonly type: 'folder'
  readonly path: string
}

export interface FhirSource {
  readonly name: string
  readonly type: 'fhir'
  readonly url: string
}
