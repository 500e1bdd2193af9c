/**
 * Whether a terminal may be redrawn while something runs. Not one without cursor movement, and not in a job of a CI service: some give it a
 * terminal, whose log keeps every line that was drawn.
 */
export function canRedraw(): boolean {
  const { TERM, CI = '' } = process.env;
  return TERM !== 'dumb' && (CI === '' || CI === 'false' || CI === '0');
}
