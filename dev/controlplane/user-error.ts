/** A failure that a person can mend: the message says what happened, the remedy what to do about it. */
export class UserError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(`${message}\n${remedy}`, options);
    this.name = 'UserError';
    this.remedy = remedy;
  }
}
