/** Processor time of this process in milliseconds: what else the machine does is not counted. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
