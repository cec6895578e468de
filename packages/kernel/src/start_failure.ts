/** A reason not to start that the operator can fix. It is printed as one sentence. */
export class StartFailure extends Error {
  static portTaken(port: number, variable: string): StartFailure {
    return new StartFailure(
      `Port ${port} is taken by another program: stop that program or set ${variable} to a free port.`
    )
  }
}
