// The page of the shortcuts, and the switch on it.
import { showSwitch } from "./shortcuts.js"

showSwitch(document)
