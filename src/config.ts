export {
  ANNOTATIONS_SETTINGS,
  type AnnotationsConfig,
  readAnnotationsConfig,
} from "./config/annotations.ts";
export { BACKUP_SETTINGS, type BackupConfig, readBackupConfig } from "./config/backup.ts";
export { EXPORT_SETTINGS, type ExportConfig, readExportConfig } from "./config/export.ts";
export {
  IMPORT_SETTINGS,
  type ImportConfig,
  READ_TWICE,
  readImportConfig,
} from "./config/import.ts";
export { INIT_SETTINGS, type InitConfig, readInitConfig } from "./config/init.ts";
export { KEYS_SETTINGS, type KeysConfig, readKeysConfig } from "./config/keys.ts";
export { RESTORE_SETTINGS, type RestoreConfig, readRestoreConfig } from "./config/restore.ts";
export { type Address, readServeConfig, type ServeConfig } from "./config/serve.ts";
export { type LogLevel, SETTINGS } from "./config/serve-settings.ts";
export { ConfigError, describeSettings } from "./config/setting.ts";
export { readTokenConfig, TOKEN_SETTINGS, type TokenConfig } from "./config/token.ts";
