/** The host of a registry and the account of the platform there. */
export interface RegistryAccess {
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** The webhook of a project: its URL and the `Authorization` header of its requests. */
export interface Webhook {
  readonly address: string
  readonly authorization: string
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly secret: string
}

/** A name in a registry and the record that owns it. */
export interface ClaimedName {
  readonly name: string
  /** The registry project the name belongs to. */
  readonly owner: string
  /** The account stored for it, if any. */
  readonly account: Account | null
}

/** A project that already exists in a registry. */
export interface ExistingProject {
  readonly id: string
  /** Whether the registry has an account that the platform created for the owner of the name. */
  readonly isMarked: boolean
  /** Whether everybody can pull from it. */
  readonly isPublic: boolean
  readonly repositories: number
}

/** The desired state of a project in a registry. */
export interface DesiredProject extends ClaimedName {
  readonly isPublic: boolean
  /** Whether the project may exist already: the platform created it, or an administrator adopts it. */
  readonly mayExist: boolean
  /** Whether the project existed before the platform linked it. It is never made visible to more than it was. */
  readonly isAdopted: boolean
  /** Whether an administrator adopts an account of this name that the platform did not create. */
  readonly adopts: boolean
  /** The new secret of the account. If null, the account keeps its secret, or the registry generates one. */
  readonly newSecret: string | null
  /** If null, the registry sends no events. */
  readonly hook: Webhook | null
}

/** The state of a project in a registry. Properties that the registry does not support are null. */
export interface LinkedProject {
  readonly id: string | null
  readonly account: Account | null
  readonly webhookId: string | null
  /** Whether everybody can pull from it. */
  readonly isPublic: boolean | null
}

/** A project to remove from a registry. */
export interface ObsoleteProject {
  readonly name: string
  /** The registry project that owned the name, if known. */
  readonly owner: string | null
  readonly accountId: string | null
  /** Whether the project existed before the platform linked it. Such a project stays, with its images. */
  readonly isAdopted: boolean
}

/** The account of a worker in a registry. */
export interface WorkerAccount {
  readonly name: string
  /** The id of the registry that the account is for. */
  readonly owner: string
  /** The account stored for it, if any. */
  readonly account: Account | null
}

/** The desired state of an account with which a worker pushes and pulls images. */
export interface DesiredWorkerAccount extends WorkerAccount {
  /** The projects that the account can pull from. An empty list removes the account. */
  readonly projects: readonly WorkerProject[]
}

interface WorkerProject {
  readonly name: string
  readonly isPushedTo: boolean
}

/** Manages projects and accounts in a registry. All methods are idempotent and throw only `RegistryFailure`. */
export interface RegistryDriver {
  /** Throws if the registry is unreachable, is of another type, or rejects the account of the platform. */
  requireAccount(): Promise<void>
  /** Finds an existing project by name, whoever created it. */
  find(name: ClaimedName): Promise<ExistingProject | null>
  link(project: DesiredProject): Promise<LinkedProject>
  unlink(project: ObsoleteProject): Promise<void>
  /** Returns the current name of an account, or null if it does not exist. */
  findAccountName(id: string): Promise<string | null>
  /** Creates or updates the account of a worker. Returns null if the registry does not manage accounts. */
  ensureWorkerAccount(worker: DesiredWorkerAccount): Promise<Account | null>
  removeWorkerAccount(worker: WorkerAccount): Promise<void>
}

/** A request to a registry failed. The message names the request and the response, never the account. */
export class RegistryFailure extends Error {
  static readonly code = 'E_REGISTRY'
  readonly code = RegistryFailure.code
  /** Whether the registry refuses the account of the platform. Asking again and again locks accounts. */
  readonly isRefused: boolean

  constructor(
    message: string,
    /** Whether other requests would fail as well. If so, the registry is paused. */
    readonly isRegistryWide: boolean,
    { isRefused = false, ...options }: ErrorOptions & { readonly isRefused?: boolean } = {}
  ) {
    super(message, options)
    this.isRefused = isRefused
  }
}

/** The registry has a project of this name that the platform did not create. */
export class NameTaken extends RegistryFailure {
  constructor(name: string) {
    super(
      `The registry has a project ${name} that the platform did not create. Choose another externalName, or ask an ` +
        'administrator of the master realm to adopt it: hubctl registry link --adopt',
      false
    )
  }
}

/** The host did not respond as a registry of the expected type. It may be a registry of another type. */
export class UnknownRegistryType extends RegistryFailure {
  constructor(message: string) {
    super(message, true)
  }
}
