; An installer for Windows with Inno Setup 6. NOT TESTED HERE: written from its documentation.
;
;   python packaging\build_bundle.py --out C:\build
;   iscc /DVersion=0.1.0 /DBundle=C:\build\dist\ppworkbench /DIcons=C:\build\icons packaging\windows\ppworkbench.iss

#ifndef Version
  #error Give the version, as printed by the bundle: iscc /DVersion=...
#endif
#ifndef Bundle
  #error Give the folder of the bundle: iscc /DBundle=...
#endif
#ifndef Icons
  #error Give the folder of the drawn icons: iscc /DIcons=...
#endif

[Setup]
AppId={{8E0B1B63-6D7B-4B7C-9B0C-6C6E0A4C51D7}
AppName=ppworkbench
AppVersion={#Version}
AppPublisher=The ppworkbench authors
DefaultDirName={autopf}\ppworkbench
DefaultGroupName=ppworkbench
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
LicenseFile=..\..\LICENSE
OutputBaseFilename=ppworkbench-{#Version}-setup
SetupIconFile={#Icons}\ppworkbench.ico
UninstallDisplayIcon={app}\ppworkbench-window.exe
Compression=lzma2
SolidCompression=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "pl"; MessagesFile: "compiler:Languages\Polish.isl"

[Files]
Source: "{#Bundle}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs
Source: "{#Icons}\study.ico"; DestDir: "{app}"; Flags: ignoreversion

[Icons]
Name: "{group}\ppworkbench"; Filename: "{app}\ppworkbench-window.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.ppw"; ValueType: string; ValueData: "ppworkbench.study"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.ppw"; ValueType: string; ValueName: "Content Type"; ValueData: "application/x-ppworkbench"
Root: HKA; Subkey: "Software\Classes\ppworkbench.study"; ValueType: string; ValueData: "ppworkbench study"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\ppworkbench.study\DefaultIcon"; ValueType: string; ValueData: "{app}\study.ico"
Root: HKA; Subkey: "Software\Classes\ppworkbench.study\shell\open\command"; ValueType: string; ValueData: """{app}\ppworkbench-window.exe"" ""%1"""

[Run]
Filename: "{app}\ppworkbench-window.exe"; Description: "{cm:LaunchProgram,ppworkbench}"; Flags: nowait postinstall skipifsilent
