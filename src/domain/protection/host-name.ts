/**
 * Tells whether a text is a host name: labels of letters, digits and inner hyphens, 63 characters at
 * most each and 253 together; international letters count as letters.
 */
export function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every(isLabel);
}

function isLabel(label: string): boolean {
  return (
    /^[\p{L}\p{N}\p{M}-]{1,63}$/u.test(label) && !label.startsWith("-") && !label.endsWith("-")
  );
}
