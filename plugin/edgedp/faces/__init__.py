"""How people and programs reach edgedp. A face checks nothing, prices nothing and draws nothing itself."""
