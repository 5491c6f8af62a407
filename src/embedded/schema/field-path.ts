/** Paths of fields as apimachinery's field.Path writes them. */
export function childField(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Of a map whose keys are data. */
export function keyField(path: string, key: string): string {
  return `${path}[${key}]`;
}
